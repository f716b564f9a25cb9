#include "acceptance/tool_client.hpp"

#include "acceptance/interruption.hpp"
#include "acceptance/trial.hpp"

#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace onceswap::acceptance {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_complaint = 2000;

std::string program_of(Verb verb) {
    return std::string(ONCESWAP_BINARY_DIR) + (verb == Verb::status ? "/reconcile-watch" : "/refresh-load");
}

} // namespace

ToolClient::ToolClient(std::string cluster, std::map<std::string, std::string> environment)
    : cluster_(std::move(cluster)), environment_(std::move(environment)) {
    std::string name = (std::filesystem::temp_directory_path() / "acceptance-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("no temporary folder: " + name);
    folder_ = name;
}

ToolClient::~ToolClient() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void ToolClient::aim(Words urls, const std::string& database, bool absent) {
    where_.clear();
    for (std::string& url : urls) {
        where_.emplace_back("--url");
        where_.push_back(std::move(url));
    }
    where_.insert(
        where_.end(), {"--cluster", cluster_, "--table", database + ".target", "--json", "--quiet"}
    );
    like_ = absent ? database + ".pattern" : std::string();
}

std::string ToolClient::rows_file(std::uint64_t rows) {
    const std::filesystem::path path = folder_ / (std::to_string(rows) + ".ndjson");
    if (!std::filesystem::exists(path)) {
        std::ofstream out(path);
        for (std::uint64_t i = 1; i <= rows; ++i)
            out << "{\"id\":" << i << ",\"name\":\"new " << i << "\"}\n";
        if (!out.flush())
            throw std::runtime_error("cannot write " + path.string());
    }
    return path.string();
}

std::unique_ptr<testing::Process> ToolClient::start(const Call& call, const Answer* pinned) {
    Words words{std::string(text(call.verb))};
    words.insert(words.end(), where_.begin(), where_.end());
    if (call.verb != Verb::status)
        words.emplace_back("--execute");
    if (call.verb == Verb::publish) {
        words.insert(words.end(), {"--from", rows_file(call.rows), "--invocation-id", call.invocation});
        if (!like_.empty())
            words.insert(words.end(), {"--like", like_});
        if (!call.cleanup)
            words.emplace_back("--no-cleanup");
    }
    if (pinned != nullptr)
        words.insert(
            words.end(),
            {"--operation", pinned->operation, "--version", std::to_string(pinned->version.value_or(-1))}
        );
    if (call.verb != Verb::status)
        words.insert(words.end(), {"--timeout", call.brief ? brief_limit_ : std::string("2m")});
    auto process = std::make_unique<testing::Process>(program_of(call.verb), std::move(words), environment_);
    process->close_input();
    return process;
}

Answer ToolClient::finish(testing::Process& process) {
    static const std::string never("\x01");
    while (process.running()) {
        if (interrupted() != 0) {
            process.send(SIGKILL);
            process.wait();
            throw Interrupted();
        }
        process.wait_for_output(never, std::chrono::milliseconds(50));
    }
    const testing::Ended ended = process.wait();
    if (ended.signal == SIGKILL)
        return {};
    json::error_code failed;
    json::value report = json::parse(ended.out, failed);
    if (failed || !report.is_object())
        throw std::runtime_error(
            "a tool said nothing that can be read: " + testing::describe(ended).substr(0, longest_complaint)
        );
    return Answer::of(std::move(report.get_object()));
}

Answer ToolClient::run(const Call& call) {
    Answer seen;
    const bool pinned = call.verb == Verb::abandon || call.verb == Verb::retire;
    if (pinned)
        seen = run(Call(Verb::status));
    const auto process = start(call, pinned ? &seen : nullptr);
    return finish(*process);
}

} // namespace onceswap::acceptance
