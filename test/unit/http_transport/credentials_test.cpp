#include "http_transport/credentials.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace onceswap::http {
namespace {

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "onceswap-credentials-XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }

    ~Folder() { std::filesystem::remove_all(path_); }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& content, mode_t mode) const {
        const std::string file = path_ / "password";
        std::filesystem::remove(file);
        std::ofstream(file, std::ios::binary) << content;
        BOOST_REQUIRE(::chmod(file.c_str(), mode) == 0);
        return file;
    }

    std::string path(const char* name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(credentials)

BOOST_AUTO_TEST_CASE(first_line_of_the_file) {
    const Folder folder;

    struct Row {
        std::string content;
        std::string password;
    };

    const Row rows[] = {
        {"s3cret", "s3cret"},
        {"s3cret\n", "s3cret"},
        {"s3cret\r\n", "s3cret"},
        {"s3cret\nmore\n", "s3cret"},
        {" a b ", " a b "},
        {std::string(4'096, 'x'), std::string(4'096, 'x')},
    };
    for (const Row& row : rows) {
        const auto read = Credentials::from_file("loader", folder.write(row.content, 0600));
        BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? std::string() : read.error()));
        BOOST_TEST(read->user() == "loader");
        BOOST_TEST(read->password() == row.password);
        BOOST_TEST(read->has_password());
    }
}

BOOST_AUTO_TEST_CASE(modes) {
    const Folder folder;

    struct Row {
        mode_t mode;
        bool taken;
    };

    const Row rows[] = {
        {0400, true},
        {0600, true},
        {0640, true},
        {0440, true},
        {0660, false},
        {0604, false},
        {0644, false},
        {0602, false},
        {0601, false},
        {0666, false}
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(std::oct << row.mode) {
            const auto read = Credentials::from_file("loader", folder.write("s3cret", row.mode));
            BOOST_TEST(read.has_value() == row.taken);
            if (!read) {
                BOOST_TEST(read.error().find("password'") != std::string::npos);
                BOOST_TEST(read.error().find("s3cret") == std::string::npos);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(files_that_hold_no_password) {
    const Folder folder;
    for (const std::string& content :
         {std::string(), std::string("\n"), std::string("\r\nx"), std::string(4'097, 's')}) {
        const auto read = Credentials::from_file("loader", folder.write(content, 0600));
        BOOST_REQUIRE(!read.has_value());
        BOOST_TEST(read.error().find("ssss") == std::string::npos);
    }
    BOOST_TEST(!Credentials::from_file("loader", folder.path("missing")).has_value());
    BOOST_TEST(!Credentials::from_file("loader", folder.path(".")).has_value());
    const std::string pipe = folder.path("pipe");
    BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    BOOST_TEST(!Credentials::from_file("loader", pipe).has_value());
}

BOOST_AUTO_TEST_CASE(defaults) {
    const Credentials none;
    BOOST_TEST(none.user() == "default");
    BOOST_TEST(!none.has_password());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::http
