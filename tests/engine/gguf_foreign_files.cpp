// Files that are not GGUF: the message says what they look like.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/gguf_expect.hpp"
#include "support/gguf_writer.hpp"

namespace kvscope::testing {

namespace {

void check_described(std::string_view file, std::string_view part) {
  check_refused(ByteWriter().text(file).bytes, ErrorCode::not_gguf, part);
}

using namespace std::string_view_literals;

}  // namespace

TEST_CASE("an empty file is called empty") { check_described("", "it is empty"); }

TEST_CASE("a web page is called HTML") {
  check_described("<!DOCTYPE html><html><title>404</title>", "HTML");
  check_described("\xef\xbb\xbf\r\n  <html lang=\"en\">", "HTML");
}

TEST_CASE("a server's answer in JSON is shown") {
  check_described(R"({"error":"Invalid username or password."})", "it is JSON");
  check_described(R"({"error":"Invalid username or password."})", "Invalid username");
}

TEST_CASE("compressed files and archives are named") {
  check_described("\x1f\x8b\x08\x00\x00\x00\x00\x00"sv, "gzip");
  check_described("PK\x03\x04\x14\x00\x00\x00"sv, "zip archive");
  check_described("\x28\xb5\x2f\xfd\x00\x00"sv, "zstd");
  check_described("\xfd\x37zXZ\x00"sv, "xz");
}

TEST_CASE("other model formats are named") {
  check_described("\x80\x02\x8a\x0al\xfc"sv, "pickle");
  check_described("\x20\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{}}"sv, "safetensors");
  check_described("tjgg\x03\x00\x00\x00"sv, "GGJT");
}

TEST_CASE("a git-lfs pointer is named") {
  check_described("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 98362432\n",
                  "git-lfs pointer");
}

TEST_CASE("a file of zeros is called an unfinished download") {
  check_described(std::string(1000, '\0'), "begins with zeros");
}

TEST_CASE("other text is quoted, other bytes are shown in hex") {
  check_described("Entry not found", "\"Entry not found\"");
  check_described("GGU", "\"GGU\"");
  check_described("\x01\xfe\x02\x03\x04"sv, "01 fe 02 03");
}

}  // namespace kvscope::testing
