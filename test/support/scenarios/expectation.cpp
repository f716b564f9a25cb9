#include "scenarios/expectation.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace onceswap::scenarios {

namespace json = boost::json;

namespace {

class Comparison {
  public:
    Comparison(const sim::ScenarioStep& step, const StepOutcome& outcome) : step_(step), outcome_(outcome) {}

    std::vector<std::string> run() {
        switch (step_.run) {
        case Run::status:
        case Run::plan:
        case Run::publish:
        case Run::resume:
        case Run::abandon:
        case Run::retire:
        case Run::close:
            compare_report();
            break;
        case Run::orphans_drop:
            if (step_.verdict.empty())
                compare_refusal();
            else
                compare_report();
            break;
        case Run::orphans_list:
            compare_exit();
            compare_tables();
            break;
        case Run::doctor:
            compare_exit();
            compare_checklist();
            break;
        }
        compare_texts();
        compare_truth();
        check_reader();
        check_drops();
        check_entries();
        return std::move(found_);
    }

  private:
    using Run = sim::ScenarioStep::Run;

    void compare_report() {
        compare_verdict();
        compare_findings();
        compare_members();
    }

    void compare_exit() {
        equal("exit code", step_.exit, outcome_.exit);
        equal("exit_code of the document", step_.exit, outcome_.document.at("exit_code").to_number<int>());
    }

    /// The command may have been refused before there was a report.
    void compare_refusal() {
        equal("exit code", step_.exit, outcome_.exit);
        equal("stopped", step_.stopped.value_or(""), text_at("stopped", "code"));
    }

    /// Empty where it is null.
    static std::string text_of(const json::value& object, std::string_view field) {
        const json::value& value = object.at(field);
        return value.is_null() ? std::string() : std::string(value.as_string());
    }

    static bool is_line(const sim::DoctorExpectation& expected, const json::value& line) {
        return text_of(line, "standing") == expected.standing && text_of(line, "code") == expected.code &&
               (expected.rule.empty() || text_of(line, "rule") == expected.rule) &&
               (!expected.member || text_of(line, "member") == *expected.member) &&
               text_of(line, "seen").find(expected.seen) != std::string::npos &&
               text_of(line, "remedy").find(expected.remedy) != std::string::npos;
    }

    std::set<std::string> codes_of_lines(std::string_view standing) const {
        std::set<std::string> codes;
        for (const json::value& line : outcome_.document.at("lines").as_array())
            if (line.at("standing").as_string() == standing)
                codes.emplace(line.at("code").as_string());
        return codes;
    }

    void compare_checklist() {
        const json::value& refused = outcome_.document.at("refused_with");
        equal(
            "refused with",
            step_.refused_with.value_or(""),
            refused.is_null() ? std::string() : std::string(refused.as_string())
        );
        equal("refused", std::set(step_.refused.begin(), step_.refused.end()), codes_of_lines("refuse"));
        equal("warned", std::set(step_.warned.begin(), step_.warned.end()), codes_of_lines("warn"));
        const json::array& lines = outcome_.document.at("lines").as_array();
        for (const sim::DoctorExpectation& expected : step_.lines)
            if (std::ranges::none_of(lines, [&](const json::value& line) { return is_line(expected, line); }))
                say("no line: " + expected.standing + " " + expected.code + " " + expected.rule + " " +
                    expected.member.value_or("") + " " + expected.seen + " " + expected.remedy);
    }

    void compare_tables() {
        const json::array& seen = outcome_.document.at("tables").as_array();
        equal("tables", std::to_string(step_.tables.size()), std::to_string(seen.size()));
        for (std::size_t i = 0; i < std::min(seen.size(), step_.tables.size()); ++i) {
            const sim::OrphanExpectation& expected = step_.tables[i];
            const std::string at = "table " + std::to_string(i) + " ";
            equal(at + "name", expected.name, text_of(seen[i], "name"));
            equal(at + "state", expected.state, text_of(seen[i], "state"));
            if (!expected.uuid.empty())
                equal(at + "uuid", expected.uuid, text_of(seen[i], "uuid"));
            if (expected.target)
                equal(at + "target", *expected.target, text_of(seen[i], "target"));
            const auto count = [&](std::string_view field) {
                return std::to_string(seen[i].at(field).as_array().size());
            };
            if (expected.shown_on)
                equal(at + "shown_on", std::to_string(*expected.shown_on), count("shown_on"));
            if (expected.not_on)
                equal(at + "not_on", std::to_string(*expected.not_on), count("not_on"));
        }
    }

    void say(const std::string& what) { found_.push_back(what); }

    template <class A, class B>
    void equal(std::string_view what, const A& expected, const B& seen) {
        if (!(expected == seen))
            say(std::string(what) + ": expected " + print(expected) + ", seen " + print(seen));
    }

    static std::string print(const std::string& text) { return text.empty() ? "nothing" : text; }

    static std::string print(int number) { return std::to_string(number); }

    static std::string print(const std::set<std::string>& texts) {
        std::string all;
        for (const std::string& text : texts)
            all += (all.empty() ? "" : ", ") + text;
        return "{" + all + "}";
    }

    static std::string print(const std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& text : texts)
            all += (all.empty() ? "" : ", ") + text;
        return "[" + all + "]";
    }

    /// `verdict.word`; empty where it is null.
    std::string text_at(std::string_view object, std::string_view field) const {
        if (!outcome_.document.contains(object))
            return {};
        const json::value& outer = outcome_.document.at(object);
        if (!outer.is_object() || !outer.as_object().contains(field) || outer.at(field).is_null())
            return {};
        return std::string(outer.at(field).as_string());
    }

    void compare_verdict() {
        equal("verdict", step_.verdict, text_at("verdict", "word"));
        const json::value& reason = outcome_.document.at("verdict").at("reason");
        equal(
            "reason",
            step_.reason.value_or(""),
            reason.is_null() ? std::string() : std::string(reason.at("code").as_string())
        );
        compare_exit();
        equal("stopped", step_.stopped.value_or(""), text_at("stopped", "code"));
        if (step_.row)
            equal("row", *step_.row, outcome_.document.at("verdict").at("row").to_number<int>());
        if (step_.evidence)
            equal("evidence", *step_.evidence, std::string(outcome_.document.at("evidence").as_string()));
    }

    std::set<std::string> findings(std::string_view severity) const {
        std::set<std::string> codes;
        for (const json::value& each : outcome_.document.at("findings").as_array())
            if (each.at("severity").as_string() == severity)
                codes.emplace(each.at("code").as_string());
        return codes;
    }

    void compare_findings() {
        equal("refused", std::set(step_.refused.begin(), step_.refused.end()), findings("refuse"));
        equal("warned", std::set(step_.warned.begin(), step_.warned.end()), findings("warn"));
    }

    void compare_members() {
        if (step_.states.empty())
            return;
        std::vector<std::string> states;
        for (const json::value& each : outcome_.document.at("members").as_array())
            states.emplace_back(each.at("state").as_string());
        equal("states", step_.states, states);
    }

    void compare_texts() {
        const std::string text = json::serialize(outcome_.document);
        for (const std::string& part : step_.says)
            if (text.find(part) == std::string::npos)
                say("does not say: " + part);
        for (const std::string& part : step_.never_says)
            if (text.find(part) != std::string::npos)
                say("says: " + part);
    }

    static std::uint64_t requests(const json::value& truth, std::string_view statement_class) {
        const json::value* count = truth.at("requests").as_object().if_contains(statement_class);
        return count == nullptr ? 0 : count->to_number<std::uint64_t>();
    }

    std::vector<std::string> targets() const {
        const std::string table = step_.with.table.substr(step_.with.table.find('.') + 1);
        std::vector<std::string> uuids;
        for (const json::value& member : outcome_.truth.at("members").as_array()) {
            std::string uuid;
            for (const json::value& each : member.at("tables").as_array())
                if (each.at("name").as_string() == table)
                    uuid = each.at("uuid").as_string();
            uuids.push_back(uuid);
        }
        return uuids;
    }

    std::set<std::string> dropped() const {
        std::set<std::string> uuids;
        for (const json::value& drop : outcome_.truth.at("drops").as_array())
            uuids.emplace(drop.at("uuid").as_string());
        return uuids;
    }

    void compare_truth() {
        for (const auto& [statement_class, count] : step_.sent)
            equal(
                "requests " + statement_class,
                std::to_string(count),
                std::to_string(requests(outcome_.truth, statement_class))
            );
        if (!step_.targets.empty())
            equal("targets", step_.targets, targets());
        if (step_.dropped)
            equal("dropped", std::set(step_.dropped->begin(), step_.dropped->end()), dropped());
    }

    void check_reader() {
        if (!sim::only_reads(step_.run))
            return;
        for (const char* changing :
             {"create_facade",
              "create_candidate",
              "insert_rows",
              "authority_insert",
              "authority_update",
              "exchange",
              "rename",
              "drop",
              "other"})
            if (requests(outcome_.truth, changing) != requests(outcome_.truth_before, changing))
                say("a reading call sent " + std::string(changing));
    }

    void check_drops() {
        const std::set<std::string> gone = dropped();
        for (const std::string& target : targets())
            if (!target.empty() && gone.contains(target))
                say("dropped what is the target: " + target);
        // Nothing that is advised may be pasted into a client and swap or drop by name.
        const json::value* verdict = outcome_.document.if_contains("verdict");
        const std::string advice = verdict == nullptr ? std::string() : json::serialize(*verdict);
        for (const char* statement : {"EXCHANGE TABLES", "DROP TABLE"})
            if (advice.find(statement) != std::string::npos)
                say(std::string("advises ") + statement);
    }

    void check_entries() {
        std::map<std::string, std::size_t> entries;
        for (const json::value& entry : outcome_.truth.at("queue").as_array()) {
            const std::string token(entry.at("token").as_string());
            if (const std::size_t at = token.find("-publish-"); at != std::string::npos)
                ++entries[token.substr(0, at)];
        }
        for (const auto& [operation, count] : entries)
            if (count > 1)
                say(operation + " published " + std::to_string(count) + " times");
    }

    const sim::ScenarioStep& step_;
    const StepOutcome& outcome_;
    std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> differences(const sim::ScenarioStep& step, const StepOutcome& outcome) {
    return Comparison(step, outcome).run();
}

} // namespace onceswap::scenarios
