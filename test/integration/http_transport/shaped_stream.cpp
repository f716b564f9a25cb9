#include "shaped_stream.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace onceswap::test {

namespace asio = boost::asio;
using http::Step;
using http::StepKind;
using http::Stream;

namespace {

class ShapedStream final : public Stream {
  public:
    ShapedStream(std::unique_ptr<Stream> inner, std::shared_ptr<StepPlan> plan)
        : inner_(std::move(inner)), plan_(std::move(plan)) {}

    Step handshake() override {
        const auto what = next();
        if (what == StepPlan::What::fail || what == StepPlan::What::end_of_stream) {
            return Step::failed(asio::error::connection_reset);
        }
        const Step step = inner_->handshake();
        return what == StepPlan::What::fail_after ? Step::failed(asio::error::connection_reset) : step;
    }

    Step read(asio::mutable_buffer room) override {
        const auto what = next();
        switch (what) {
        case StepPlan::What::fail:
            return Step::failed(asio::error::connection_reset);
        case StepPlan::What::end_of_stream:
            return {StepKind::closed, 0, {}};
        case StepPlan::What::fail_after:
            inner_->read(room);
            return Step::failed(asio::error::connection_reset);
        case StepPlan::What::one_byte:
            return inner_->read(asio::buffer(room, 1));
        case StepPlan::What::nothing:
            break;
        }
        return inner_->read(room);
    }

    Step write(const std::array<asio::const_buffer, 2>& bytes) override {
        const auto what = next();
        switch (what) {
        case StepPlan::What::fail:
        case StepPlan::What::end_of_stream:
            return Step::failed(asio::error::connection_reset);
        case StepPlan::What::fail_after:
            inner_->write(bytes);
            return Step::failed(asio::error::connection_reset);
        case StepPlan::What::one_byte: {
            const asio::const_buffer& first = bytes[0].size() > 0 ? bytes[0] : bytes[1];
            return inner_->write({asio::buffer(first, 1), asio::const_buffer()});
        }
        case StepPlan::What::nothing:
            break;
        }
        return inner_->write(bytes);
    }

    std::uint64_t bytes_to_kernel() const override { return inner_->bytes_to_kernel(); }

    std::string failure_detail() const override { return inner_->failure_detail(); }

  private:
    StepPlan::What next() {
        ++plan_->steps;
        if (plan_->at_step != 0 && plan_->steps != plan_->at_step) {
            return StepPlan::What::nothing;
        }
        if (plan_->before) {
            plan_->before();
        }
        return plan_->what;
    }

    std::unique_ptr<Stream> inner_;
    std::shared_ptr<StepPlan> plan_;
};

} // namespace

http::StreamFactory shaped_by(std::shared_ptr<StepPlan> plan) {
    return [plan](std::unique_ptr<Stream> inner) -> std::unique_ptr<Stream> {
        return std::make_unique<ShapedStream>(std::move(inner), plan);
    };
}

class Arrivals::Stash final : public Stream {
  public:
    Stash(std::unique_ptr<Stream> inner, std::shared_ptr<Stash*> newest)
        : inner_(std::move(inner)), newest_(std::move(newest)) {
        *newest_ = this;
    }

    ~Stash() override {
        if (*newest_ == this) {
            *newest_ = nullptr;
        }
    }

    Stash(const Stash&) = delete;
    Stash& operator=(const Stash&) = delete;

    bool look() {
        if (!bytes_.empty() || end_) {
            return true;
        }
        std::array<char, 1'024> room{};
        const Step step = inner_->read(asio::buffer(room));
        if (step.kind == StepKind::moved) {
            bytes_.assign(room.data(), step.bytes);
        } else if (step.kind == StepKind::closed || step.kind == StepKind::failed) {
            end_ = step;
        }
        return !bytes_.empty() || end_;
    }

    Step handshake() override { return inner_->handshake(); }

    Step read(asio::mutable_buffer room) override {
        if (!bytes_.empty()) {
            const std::size_t size = std::min(room.size(), bytes_.size());
            std::memcpy(room.data(), bytes_.data(), size);
            bytes_.erase(0, size);
            return Step::moved(size);
        }
        return end_ ? *end_ : inner_->read(room);
    }

    Step write(const std::array<asio::const_buffer, 2>& bytes) override { return inner_->write(bytes); }

    std::uint64_t bytes_to_kernel() const override { return inner_->bytes_to_kernel(); }

    std::string failure_detail() const override { return inner_->failure_detail(); }

  private:
    std::unique_ptr<Stream> inner_;
    std::shared_ptr<Stash*> newest_;
    std::string bytes_;
    std::optional<Step> end_;
};

http::StreamFactory Arrivals::factory() {
    return [newest = newest_](std::unique_ptr<Stream> inner) -> std::unique_ptr<Stream> {
        return std::make_unique<Stash>(std::move(inner), newest);
    };
}

bool Arrivals::something_is_there() {
    return (*newest_)->look();
}

} // namespace onceswap::test
