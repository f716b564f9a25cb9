#include "serving.hpp"

#include "http_client.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <stdexcept>
#include <utility>

namespace onceswap::testing {

namespace json = boost::json;

namespace {

constexpr std::chrono::minutes patience{3};
constexpr std::chrono::milliseconds look_again{20};

} // namespace

Serving::Serving(const Words& words, std::map<std::string, std::string> environment)
    : process_(
          reconcile_watch(),
          Words{"serve", "--listen", "127.0.0.1:0", "--interval", "1s"} + words,
          std::move(environment)
      ) {
    const std::string line = "serving on http://127.0.0.1:";
    if (!process_.wait_for_error(line) || !process_.wait_for_error("/\n"))
        throw std::runtime_error("does not serve: " + process_.err());
    const auto at = process_.err().find(line) + line.size();
    port_ = static_cast<std::uint16_t>(std::stoul(process_.err().substr(at)));
}

json::value Serving::status() {
    return json::parse(ask(port_, "/api/status").body);
}

json::value
Serving::status_where(const std::string& what, const std::function<bool(const json::value&)>& fits) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        json::value document = status();
        if (fits(document))
            return document;
        if (!process_.running())
            throw std::runtime_error("ended: " + process_.err());
        process_.wait_for_error("never said", look_again); // what it does say is taken meanwhile
        if (std::chrono::steady_clock::now() > until)
            throw std::runtime_error("never " + what + ": " + json::serialize(document));
    }
}

json::value Serving::status_with(const std::string& word) {
    return status_where(word, [&word](const json::value& document) {
        const json::array& slots = document.at("slots").as_array();
        return !slots.empty() && slots[0].at("report").at("verdict").at("word").as_string() == word;
    });
}

const json::object* slot_of(const json::value& status, const std::string& table) {
    for (const json::value& slot : status.at("slots").as_array()) {
        const json::value& name = slot.at("report").at("table");
        if (name.is_string() && name.as_string() == table)
            return &slot.as_object();
    }
    return nullptr;
}

std::string word_of(const json::value& status, const std::string& table) {
    const json::object* slot = slot_of(status, table);
    if (slot == nullptr)
        return {};
    return std::string(slot->at("report").at("verdict").at("word").as_string());
}

} // namespace onceswap::testing
