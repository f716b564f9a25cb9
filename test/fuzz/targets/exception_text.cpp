#include "http_transport/exception_text.hpp"

#include "targets.hpp"

#include <algorithm>

namespace onceswap::fuzz {

/// The first byte chooses what the body is said to be and how many bytes of the rest are the tag.
void exception_text(std::string_view input) {
    const unsigned char choice = take_byte(input);
    const http::BodyIs what = (choice & 1) != 0 ? http::BodyIs::error : http::BodyIs::result;
    const std::size_t tag_size = std::min<std::size_t>(choice >> 4, input.size());
    const std::string_view tag = input.substr(0, tag_size);
    const std::string_view body = input.substr(tag_size);
    if (const auto found = http::find_exception_text(body, what, tag)) {
        must(found->offset <= body.size(), "an exception begins inside the body");
        must(found->text.size() <= http::max_exception_text, "an exception's text is bounded");
        must(found->text.starts_with("Code"), "an exception's text begins with its code");
        must(found->code > 0, "an exception has a code");
        must(
            http::find_exception_text(body, http::BodyIs::error, tag).has_value(),
            "what is seen in a result is seen in an error"
        );
    }
    http::has_exception_marker(body);
    http::looks_like_result_set(body);
}

} // namespace onceswap::fuzz
