#pragma once

#include "acceptance/cluster_under_test.hpp"
#include "acceptance/http_question.hpp"
#include "acceptance/tool_client.hpp"

#include <memory>
#include <string>
#include <vector>

namespace onceswap::acceptance {

/// What is the same for every real cluster behind HTTP: its databases are made, asked and hurt by SQL.
class HttpCluster : public ClusterUnderTest {
  public:
    HttpCluster(std::vector<Origin> members, std::string cluster, std::unique_ptr<ToolClient> client);

    boost::json::object versions() override;

    std::size_t members() const override { return origins_.size(); }

    std::string database() const override { return database_; }

    void begin(const std::string& scenario, const Setup& setup) override;

    Answer call(const Call& call) override { return client_->run(call); }

    std::vector<Answer> together(const std::vector<Call>& calls) override;

    std::string outsider(std::size_t member, const std::string& sql, const std::string& comment) override;
    void refuse_on_host(std::size_t member, Statement statement, const std::string& table) override;
    void heal_host(std::size_t member) override;
    void drift(Need what, std::size_t member) override;
    void partial_authority(bool mismatched) override;

    std::vector<Table> tables(std::size_t member) override;
    std::vector<Entry> entries() override;
    std::int64_t rows(std::size_t member, const std::string& table) override;

  protected:
    /// The body of an answer that has to be 200.
    std::string ask(std::size_t member, const std::string& sql, const std::string& comment = {});
    /// Rows as JSON objects.
    std::vector<boost::json::object> select(std::size_t member, const std::string& sql);
    /// The URLs that the tools are given.
    virtual std::vector<std::string> client_urls() const;

    /// A name for a scenario's database that nobody has.
    virtual std::string database_of(const std::string& scenario) const { return "acceptance_" + scenario; }

    /// From now on the members are these.
    void move_to(std::vector<Origin> members) { origins_ = std::move(members); }

    const std::vector<Origin>& origins() const { return origins_; }

    ToolClient& client() { return *client_; }

    const std::string& cluster() const { return cluster_; }

  private:
    std::string authority_definition();

    std::vector<Origin> origins_;
    std::string cluster_;
    std::unique_ptr<ToolClient> client_;
    std::string database_;
    std::string definition_; ///< of the control table of another database
};

} // namespace onceswap::acceptance
