#pragma once

#include "protocol/first_violation.hpp"
#include "protocol/uuid.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace onceswap::protocol {

/// Reads an object whose fields are all known: each is asked for once, and done() names what is left over.
/// What is missing or of another type is a violation, and the value then a harmless default: the reader goes
/// on, the first violation is what counts.
class StrictObject {
  public:
    StrictObject(const boost::json::value& value, std::string path, FirstViolation& violation)
        : object_(value.if_object()), path_(std::move(path)), violation_(&violation) {
        violation_->demand(object_ != nullptr, path_, "not an object");
    }

    std::string text(std::string_view name);
    Uuid uuid(std::string_view name);

    template <class Integer>
    Integer integer(std::string_view name) {
        return to_integer<Integer>(field(name), where(name));
    }

    /// nullptr for null; any other value as it is.
    const boost::json::value* nullable(std::string_view name);

    const boost::json::value& any(std::string_view name) { return field(name); }

    const boost::json::array& list(std::string_view name, std::size_t max_size);

    /// Demands that every field was asked for.
    void done();

    std::string where(std::string_view name) const {
        return path_.empty() ? std::string(name) : path_ + '.' + std::string(name);
    }

    FirstViolation& violation() const { return *violation_; }

    template <class Integer>
    Integer to_integer(const boost::json::value& value, const std::string& where) {
        static_assert(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>);
        boost::json::error_code error;
        // Exact or an error: no fraction, no sign or size that the type cannot hold.
        const Integer number =
            value.is_number() && !value.is_double() ? value.to_number<Integer>(error) : Integer{};
        violation_->demand(
            (value.is_int64() || value.is_uint64()) && !error, where, "not an integer in range"
        );
        return error ? Integer{} : number;
    }

    std::string to_text(const boost::json::value& value, const std::string& where);
    Uuid to_uuid(const boost::json::value& value, const std::string& where);

  private:
    const boost::json::value& field(std::string_view name);

    const boost::json::object* object_;
    std::string path_;
    FirstViolation* violation_;
    std::size_t taken_ = 0;
};

} // namespace onceswap::protocol
