#include "acceptance/receipt.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace onceswap::acceptance {

namespace json = boost::json;

namespace {

void pad(std::string& line, std::size_t width) {
    line.append(line.size() < width ? width - line.size() : 1, ' ');
}

std::string cell(const Row& row) {
    std::string text(acceptance::text(row.result));
    if (row.executed) {
        text += " [";
        for (std::size_t i = 0; i < row.executed->size(); ++i)
            text += (i == 0 ? "" : ",") + std::to_string((*row.executed)[i]);
        text += "]";
    }
    return text;
}

const Row* find(const Receipt& receipt, const std::string& scenario) {
    const auto row = std::ranges::find(receipt.rows, scenario, &Row::scenario);
    return row == receipt.rows.end() ? nullptr : &*row;
}

} // namespace

std::string_view text(Result result) {
    switch (result) {
    case Result::passed:
        return "passed";
    case Result::skipped:
        return "skipped";
    case Result::failed:
        return "failed";
    }
    return "";
}

std::size_t Receipt::count(Result result) const {
    return static_cast<std::size_t>(std::ranges::count(rows, result, &Row::result));
}

json::object Receipt::to_json() const {
    json::array list;
    for (const Row& row : rows) {
        json::value counts;
        if (row.executed)
            counts = json::array(row.executed->begin(), row.executed->end());
        json::array files;
        for (const std::string& name : row.evidence)
            files.emplace_back(name);
        list.push_back(json::object{
            {"scenario", row.scenario},
            {"result", text(row.result)},
            {"reason", row.reason.empty() ? json::value() : json::value(row.reason)},
            {"executed", std::move(counts)},
            {"evidence", std::move(files)},
            {"took_ms", row.took.count()}
        });
    }
    return {
        {"schema_version", 1},
        {"commit", commit},
        {"fixture", fixture},
        {"begun_at", begun_at},
        {"versions", versions},
        {"whole", whole},
        {"summary",
         json::object{
             {"passed", count(Result::passed)},
             {"skipped", count(Result::skipped)},
             {"failed", count(Result::failed)}
         }},
        {"scenarios", std::move(list)}
    };
}

std::string matrix(const std::vector<Receipt>& receipts) {
    std::vector<std::string> names;
    for (const Receipt& receipt : receipts)
        for (const Row& row : receipt.rows)
            if (std::ranges::find(names, row.scenario) == names.end())
                names.push_back(row.scenario);
    std::size_t width = 10;
    for (const std::string& name : names)
        width = std::max(width, name.size() + 2);
    constexpr std::size_t column = 18;
    std::string text = "scenario";
    pad(text, width);
    for (std::size_t i = 0; i < receipts.size(); ++i) {
        text += receipts[i].fixture;
        pad(text, width + column * (i + 1));
    }
    text += "\n";
    for (const std::string& name : names) {
        std::string line = name;
        pad(line, width);
        for (std::size_t i = 0; i < receipts.size(); ++i) {
            const Row* row = find(receipts[i], name);
            line += row == nullptr ? "-" : cell(*row);
            pad(line, width + column * (i + 1));
        }
        while (line.ends_with(' '))
            line.pop_back();
        text += line + "\n";
    }
    text += "[n,m]: how often each member executed a publishing statement\n";
    for (const Receipt& receipt : receipts) {
        text += "\n" + receipt.fixture + ": " + std::to_string(receipt.count(Result::passed)) + " passed, " +
                std::to_string(receipt.count(Result::skipped)) + " skipped, " +
                std::to_string(receipt.count(Result::failed)) + " failed" +
                (receipt.whole ? "" : ", not all had their turn") + "\n";
        for (const Row& row : receipt.rows)
            if (row.result != Result::passed)
                text += "  " + std::string(acceptance::text(row.result)) + " " + row.scenario + ": " +
                        row.reason + "\n";
    }
    return text;
}

void write_file(const std::string& path, const std::string& content) {
    const std::string fresh = path + ".new";
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << content;
    out.close();
    if (!out || std::rename(fresh.c_str(), path.c_str()) != 0)
        throw std::runtime_error("cannot write " + path);
}

} // namespace onceswap::acceptance
