#include "protocol/strict_object.hpp"

namespace onceswap::protocol {

namespace {

const boost::json::value null_value;
const boost::json::array empty_list;

} // namespace

const boost::json::value& StrictObject::field(std::string_view name) {
    const boost::json::value* found = object_ == nullptr ? nullptr : object_->if_contains(name);
    violation_->demand(found != nullptr, where(name), "missing");
    if (found == nullptr)
        return null_value;
    ++taken_;
    return *found;
}

std::string StrictObject::to_text(const boost::json::value& value, const std::string& where) {
    violation_->demand(value.is_string(), where, "not a string");
    return value.is_string() ? std::string(value.get_string()) : std::string();
}

Uuid StrictObject::to_uuid(const boost::json::value& value, const std::string& where) {
    const std::string written = to_text(value, where);
    const auto uuid = Uuid::parse(written);
    violation_->demand(uuid && uuid->text() == written, where, "not a lower-case uuid");
    return uuid.value_or(Uuid());
}

std::string StrictObject::text(std::string_view name) {
    return to_text(field(name), where(name));
}

Uuid StrictObject::uuid(std::string_view name) {
    return to_uuid(field(name), where(name));
}

const boost::json::value* StrictObject::nullable(std::string_view name) {
    const boost::json::value& value = field(name);
    return value.is_null() ? nullptr : &value;
}

const boost::json::array& StrictObject::list(std::string_view name, std::size_t max_size) {
    const boost::json::value& value = field(name);
    violation_->demand(value.is_array(), where(name), "not a list");
    if (!value.is_array())
        return empty_list;
    violation_->demand(value.get_array().size() <= max_size, where(name), "too long");
    return value.get_array().size() <= max_size ? value.get_array() : empty_list;
}

void StrictObject::done() {
    if (object_ != nullptr && taken_ != object_->size())
        violation_->demand(false, path_.empty() ? "payload" : path_, "unknown field");
}

} // namespace onceswap::protocol
