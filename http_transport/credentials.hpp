#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace onceswap::http {

/// A user and a secret that is wiped when the object goes and that no stream operator prints.
class Credentials {
  public:
    Credentials() = default; ///< user `default`, no password
    Credentials(std::string user, std::string password);
    Credentials(const Credentials&) = default;
    Credentials(Credentials&&) noexcept = default;
    Credentials& operator=(const Credentials&) = default;
    Credentials& operator=(Credentials&&) noexcept = default;
    ~Credentials();

    /// First line of the file without its newline. Refuses a file that others can read, is missing, empty, or
    /// over 4 KiB; the error names the file, never its content.
    static boost::system::result<Credentials, std::string>
    from_file(std::string user, const std::string& password_file);

    const std::string& user() const { return user_; }

    const std::string& password() const { return password_; }

    bool has_password() const { return !password_.empty(); }

  private:
    std::string user_ = "default";
    std::string password_;
};

} // namespace onceswap::http
