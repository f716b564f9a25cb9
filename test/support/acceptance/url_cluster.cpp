#include "acceptance/url_cluster.hpp"

#include "acceptance/http_cluster.hpp"

#include <boost/json/array.hpp>

#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace onceswap::acceptance {

namespace {

std::string password_in(const std::string& file) {
    if (file.empty())
        return {};
    std::ifstream in(file);
    std::string password;
    std::getline(in, password);
    if (!in && password.empty())
        throw std::runtime_error("cannot read a password from " + file);
    return password;
}

std::vector<Origin> origins_of(const UrlSetup& setup) {
    const std::string password = password_in(setup.password_file);
    std::vector<Origin> origins;
    for (const std::string& url : setup.urls) {
        Origin origin(url);
        origin.user = setup.user;
        origin.password = password;
        origins.push_back(std::move(origin));
    }
    return origins;
}

std::map<std::string, std::string> environment_of(const UrlSetup& setup) {
    std::map<std::string, std::string> environment;
    if (!setup.user.empty())
        environment["ONCESWAP_USER"] = setup.user;
    if (!setup.password_file.empty())
        environment["ONCESWAP_PASSWORD_FILE"] = setup.password_file;
    return environment;
}

class UrlCluster : public HttpCluster {
  public:
    explicit UrlCluster(const UrlSetup& setup)
        : HttpCluster(
              origins_of(setup),
              setup.cluster,
              std::make_unique<ToolClient>(setup.cluster, environment_of(setup))
          ),
          run_(std::to_string(::getpid())) {}

    ~UrlCluster() override { drop_all(); }

    std::string_view fixture() const override { return "url"; }

    boost::json::object versions() override {
        boost::json::object versions = HttpCluster::versions();
        versions["real"] = boost::json::array{"all of it"};
        return versions;
    }

    std::optional<std::string> lacks(Need need) const override {
        switch (need) {
        case Need::lost_response:
        case Need::keeper_write:
        case Need::client_gone:
        case Need::client_stopped:
        case Need::unsent:
            return "nothing stands between the client, the members and their keeper";
        case Need::ddl_worker:
        case Need::worker_crash:
            return "the members' workers and processes are not this suite's to stop";
        case Need::queue_rows:
            return "the rows of the queue are what its own DDL workers write";
        case Need::drift_membership:
            return "the members' configuration is not this suite's to change";
        case Need::outsider:
        case Need::refused_host:
        case Need::two_clients:
        case Need::drift_uuid:
        case Need::drift_schema:
        case Need::drift_engine:
        case Need::drift_path:
        case Need::partial_authority:
        case Need::retire:
            return std::nullopt;
        }
        return std::nullopt;
    }

    void begin(const std::string& scenario, const Setup& setup) override {
        made_.push_back(database_of(scenario));
        HttpCluster::begin(scenario, setup);
    }

    void end() override { drop_all(); }

    bool all_fired() override { return true; }

    /// Asked of system.query_log, where a server keeps one and this user may read it.
    std::optional<std::vector<std::int64_t>>
    executed(const std::string& token, Statement statement) override {
        const std::string begin = statement == Statement::exchange ? "EXCHANGE" : "RENAME";
        std::vector<std::int64_t> counts;
        try {
            for (std::size_t member = 0; member < members(); ++member) {
                ask(member, "SYSTEM FLUSH LOGS");
                const auto rows = select(
                    member,
                    "SELECT toString(count()) AS count FROM system.query_log WHERE type = 'QueryFinish' AND "
                    "log_comment = '" +
                        token + "' AND position(query, '" + begin +
                        "') > 0 AND position(query, 'ON CLUSTER') = 0"
                );
                counts.push_back(std::stoll(std::string(rows.at(0).at("count").as_string())));
            }
        } catch (const std::runtime_error&) {
            return std::nullopt;
        }
        return counts;
    }

  protected:
    std::string database_of(const std::string& scenario) const override {
        return "onceswap_acceptance_" + run_ + "_" + scenario;
    }

  private:
    void drop_all() {
        for (const std::string& database : made_)
            question(
                origins().front(),
                "POST",
                "/",
                {},
                "DROP DATABASE IF EXISTS " + database + " ON CLUSTER " + cluster() + " SYNC"
            );
        made_.clear();
    }

    std::string run_;
    std::vector<std::string> made_;
};

} // namespace

std::unique_ptr<ClusterUnderTest> url_cluster(const UrlSetup& setup) {
    return std::make_unique<UrlCluster>(setup);
}

} // namespace onceswap::acceptance
