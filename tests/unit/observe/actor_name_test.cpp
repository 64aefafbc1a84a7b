#include "backoff_actor/observe/actor_name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

class KindAtTheTop {};

namespace backoff_actor::actor_name_test {

TEST(actor_name, is_rendered_with_what_is_known) {
  EXPECT_EQ(to_string(ActorName{"billing", 17}), "billing#17");
  EXPECT_EQ(to_string(ActorName{"billing", 18'446'744'073'709'551'615U}),
            "billing#18446744073709551615");
  EXPECT_EQ(to_string(ActorName{"billing", 0}), "billing");
  EXPECT_EQ(to_string(ActorName{"", 17}), "");
  EXPECT_EQ(to_string(ActorName{}), "");
}

TEST(actor_name, is_put_in_front_of_a_text) {
  EXPECT_EQ(detail::with_name({"billing", 17}, "drained"), "billing#17: drained");
  EXPECT_EQ(detail::with_name({"billing", 0}, "drained"), "billing: drained");
  EXPECT_EQ(detail::with_name({"", 17}, "drained"), "drained");
}

// -- which kinds are allowed ---------------------------------------------------------------

std::string problem_of(const std::string& kind) {
  Problems problems;
  detail::check_kind(problems, "name", kind);
  return to_string(problems);
}

TEST(kind, has_one_to_64_characters_that_need_no_quotes_anywhere) {
  for (const auto* good : {"a", "z", "0", "9", "_", ".", "-", "billing", "eu-west.orders_2"})
    EXPECT_EQ(problem_of(good), "") << good;
  EXPECT_EQ(problem_of(std::string(64, 'a')), "");
  EXPECT_EQ(problem_of(""), "") << "it leaves the kind to the default";

  EXPECT_EQ(problem_of("Billing"),
            "name: got Billing, allowed 1 to 64 characters of a-z, 0-9, _, . and -");
  for (const std::string bad :
       {"A", "Z", "a b", "a#1", "a\n", "{", "`", "@", "[", "/", ":", "\xc3\xa4", "a\"", "+", ","})
    EXPECT_NE(problem_of(bad), "") << bad;
  EXPECT_NE(problem_of(std::string{"a\0", 2}), "");
  EXPECT_NE(problem_of(std::string(65, 'a')), "");
}

TEST(kind, is_said_with_the_struct_of_the_options_unless_it_is_wrong) {
  EXPECT_EQ(detail::options_of("SenderOptions", "billing"), "SenderOptions of billing");
  EXPECT_EQ(detail::options_of("SenderOptions", ""), "SenderOptions");
  EXPECT_EQ(detail::options_of("SenderOptions", "Billing"), "SenderOptions");
}

// -- the kind of a type ------------------------------------------------------------------------

struct TypeRow {
  const char* name;
  const char* type;
  const char* kind;
};

TEST(kind_of_type, is_the_last_part_of_its_name_in_snake_case) {
  const std::vector<TypeRow> rows{
    {"one word", "Worker", "worker"},
    {"two words", "HttpWorker", "http_worker"},
    {"a namespace", "shop::HttpWorker", "http_worker"},
    {"an enclosing class", "shop::Orders::Worker", "worker"},
    {"an acronym", "HTTPWorker", "http_worker"},
    {"nothing but an acronym", "HTTP", "http"},
    {"an acronym at the end", "WorkerOfDB", "worker_of_db"},
    {"a number at the end", "Worker2", "worker2"},
    {"a number in between", "Http2Worker", "http2_worker"},
    {"snake case", "http_worker", "http_worker"},
    {"both", "Http_Worker", "http_worker"},
    {"one letter", "X", "x"},
    {"a template", "Pool<HttpWorker>", "pool"},
    {"a template of templates", "a::Pool<b::Of<c::D>, (e::F)7>", "pool"},
    {"in a template", "a::Pool<b::C>::HttpWorker", "http_worker"},
    {"an anonymous namespace", "(anonymous namespace)::HttpWorker", "http_worker"},
    {"in another", "a::(anonymous namespace)::HttpWorker", "http_worker"},
    {"in a function", "a::run(int, b::C<d::E>)::HttpWorker", "http_worker"},
    {"in a member", "a::B::run() const::HttpWorker", "http_worker"},
    {"with a tag", "a::HttpWorker[abi:cxx11]", "http_worker"},
    {"in a lambda", "run()::{lambda()#1}::operator()() const::HttpWorker", "http_worker"},
    {"a lambda", "run()::{lambda(int)#1}", "_lambda_int__1_"},
    {"a number", "unsigned long", "unsigned_long"},
    {"foreign letters", "a::W\xc3\xa4rter", "w__rter"},
    {"nothing", "", "worker"},
    {"no letter", "\xc3\xa4", "worker"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(detail::kind_of_type(row.type), row.kind) << row.name;
    EXPECT_EQ(problem_of(detail::kind_of_type(row.type)), "") << row.name;
  }
}

TEST(kind_of_type, has_64_characters_at_the_most) {
  EXPECT_EQ(detail::kind_of_type(std::string(70, 'a')), std::string(64, 'a'));
  EXPECT_EQ(detail::kind_of_type("Worker" + std::string(57, 'a') + "Bcd"),
            "worker" + std::string(57, 'a') + "_");
}

class HttpWorker {
public:
  class Inner {};
};

template <class T>
class PoolOf {
public:
  class Inner {};
};

namespace {

class HiddenWorker {};

} // namespace

TEST(kind_of_type, is_the_same_with_each_compiler) {
  class LocalWorker {};
  EXPECT_EQ(detail::kind_of_type(typeid(KindAtTheTop)), "kind_at_the_top");
  EXPECT_EQ(detail::kind_of_type(typeid(HttpWorker)), "http_worker");
  EXPECT_EQ(detail::kind_of_type(typeid(HttpWorker::Inner)), "inner");
  EXPECT_EQ(detail::kind_of_type(typeid(HiddenWorker)), "hidden_worker");
  EXPECT_EQ(detail::kind_of_type(typeid(LocalWorker)), "local_worker");
  EXPECT_EQ(detail::kind_of_type(typeid(PoolOf<HttpWorker>)), "pool_of");
  EXPECT_EQ(detail::kind_of_type(typeid(PoolOf<PoolOf<HiddenWorker>>::Inner)), "inner");
  EXPECT_EQ(detail::kind_of_type(typeid(std::vector<int>)), "vector");
  EXPECT_EQ(detail::kind_of_type(typeid(int)), "int");
  const auto lambda = [] { return 1; };
  EXPECT_EQ(problem_of(detail::kind_of_type(typeid(lambda))), "");
}

} // namespace backoff_actor::actor_name_test
