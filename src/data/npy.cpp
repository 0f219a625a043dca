#include "data/npy.hpp"

#include "data/file.hpp"
#include "error.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace opencd::data {

namespace {

struct TypeName {
  std::string_view text;
  NpyType type;
  std::size_t size;
};

constexpr TypeName kTypes[] = {
    {"u1", NpyType::u8, 1},  {"i1", NpyType::i8, 1},  {"u2", NpyType::u16, 2},
    {"i2", NpyType::i16, 2}, {"u4", NpyType::u32, 4}, {"i4", NpyType::i32, 4},
    {"u8", NpyType::u64, 8}, {"i8", NpyType::i64, 8}, {"f2", NpyType::f16, 2},
    {"f4", NpyType::f32, 4}, {"f8", NpyType::f64, 8},
};

/// Reads the header's Python dictionary: exactly the keys descr, fortran_order and shape, each once,
/// in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::size_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!peek('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true)) {
        header.type = type();
      } else if (key == "fortran_order" && !std::exchange(order, true)) {
        c_order();
      } else if (key == "shape" && !std::exchange(shape, true)) {
        header.shape = extents();
      } else {
        refuse("the keys descr, fortran_order and shape, each once");
      }
      if (!peek('}')) expect(',');
    }
    expect('}');
    skip_space();
    if (at_ != text_.size() || !descr || !order || !shape)
      refuse("a dictionary with descr, fortran_order and shape and nothing else");
    return header;
  }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    fail<FormatError>("[npy] {}, byte {}: expected {}", name_, offset_ + at_, expected);
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool peek(char wanted) {
    skip_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }
  void expect(char wanted) {
    if (!peek(wanted)) refuse(std::string(1, wanted).c_str());
    ++at_;
  }
  bool word(std::string_view wanted) {
    skip_space();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  std::string_view quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse("a quoted word");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse("a closing quote");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }
  NpyType type() {
    if (peek('[')) refuse("a plain number type, not a record type");
    const std::string_view text = quoted();
    if (text.find('O') != std::string_view::npos)
      refuse("numbers; object arrays are pickled programs and are never read");
    if (text.starts_with('>')) refuse("little-endian numbers; convert with array.astype('<f4')");
    if (text.starts_with('<') || text.starts_with('|') || text.starts_with('='))
      for (const TypeName& known : kTypes)
        if (text.substr(1) == known.text) return known.type;
    refuse("one of u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 after '<' or '|'");
  }
  void c_order() {
    if (word("False")) return;
    if (word("True")) refuse("C order; convert with numpy.ascontiguousarray(array)");
    refuse("True or False");
  }
  std::vector<std::size_t> extents() {
    constexpr std::size_t kMaxDimensions = 8;
    std::vector<std::size_t> shape;
    expect('(');
    while (!peek(')')) {
      std::size_t extent = 0;
      const char* end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(text_.data() + at_, end, extent);
      if (error != std::errc{}) refuse("an extent");
      at_ = static_cast<std::size_t>(stop - text_.data());
      shape.push_back(extent);
      if (shape.size() > kMaxDimensions) refuse("at most 8 dimensions");
      if (!peek(')')) expect(',');
    }
    expect(')');
    return shape;
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& name_;
  std::size_t at_ = 0;
};

std::size_t data_bytes(const NpyHeader& header, const std::string& name) {
  std::size_t bytes = size_of(header.type);
  for (const std::size_t extent : header.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxFileBytes)
      fail<FormatError>("[npy] {}: the shape asks for more than {} bytes", name, kMaxFileBytes);
  return bytes;
}

}  // namespace

std::size_t size_of(NpyType type) {
  return std::find_if(std::begin(kTypes), std::end(kTypes),
                      [&](const TypeName& known) { return known.type == type; })
      ->size;
}

std::string NpyArray::shape_text() const { return fmt::format("({})", fmt::join(shape, ", ")); }

NpyHeader parse_npy_header(std::span<const std::uint8_t> file, const std::string& name) {
  constexpr std::uint8_t kMagic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (file.size() < 12 || !std::equal(std::begin(kMagic), std::end(kMagic), file.begin()))
    fail<FormatError>("[npy] {}, byte 0: expected \\x93NUMPY", name);
  const unsigned version = file[6];
  if (version < 1 || version > 3 || file[7] != 0)
    fail<FormatError>("[npy] {}, byte 6: expected version 1.0, 2.0 or 3.0, got {}.{}", name,
                      version, file[7]);
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = 0;
  for (std::size_t i = begin; i-- > 8;) length = length << 8 | file[i];
  if (length > kMaxNpyHeader - begin || length > file.size() - begin)
    fail<FormatError>("[npy] {}, byte 8: a header of {} bytes does not fit the file", name, length);
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + begin, length);
  NpyHeader header = HeaderParser(text, begin, name).parse();
  header.header_bytes = begin + length;
  header.data_bytes = data_bytes(header, name);
  return header;
}

NpyArray parse_npy(const Bytes& file, const std::string& name) {
  const NpyHeader header = parse_npy_header(file.view(), name);
  if (file.size() - header.header_bytes != header.data_bytes)
    fail<FormatError>("[npy] {}: {} bytes after the header of {}, expected {}", name,
                      file.size() - header.header_bytes, header.header_bytes, header.data_bytes);
  return {name, header.type, header.shape, file.from(header.header_bytes)};
}

NpyArray read_npy(const std::filesystem::path& path) {
  return parse_npy(Bytes(read_file(path)), display_name(path));
}

}  // namespace opencd::data
