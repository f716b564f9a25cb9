#pragma once

#include "acceptance/trial.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::acceptance {

/// One row of the matrix: what is done to a cluster and what must hold then, for whatever fixture.
struct Scenario {
    Scenario() = default;

    Scenario(
        std::string name_, std::string about_, std::vector<Need> needs_, std::function<void(Trial&)> run_
    )
        : name(std::move(name_)), about(std::move(about_)), needs(std::move(needs_)), run(std::move(run_)) {}

    std::string name; ///< [a-z0-9_]+
    std::string about;
    std::vector<Need> needs;
    std::function<void(Trial&)> run; ///< throws Failed
    Setup setup;
};

/// All of them, in the order of the matrix. Names are unique.
std::vector<Scenario> all_scenarios();

// Parts of it.
void add_publications(std::vector<Scenario>& all);
void add_lost_answers(std::vector<Scenario>& all);
void add_workers(std::vector<Scenario>& all);
void add_clients(std::vector<Scenario>& all);
void add_duplicates(std::vector<Scenario>& all);
void add_cleanups(std::vector<Scenario>& all);
void add_drifts(std::vector<Scenario>& all);

} // namespace onceswap::acceptance
