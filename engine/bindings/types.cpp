// The types that cross between JavaScript and the engine. Embind's own list (bind.cpp of libembind)
// holds all that C++ has, 64-bit integers and three kinds of wide strings too, and names a type
// that is not in it with printf: 5 KB more to download. The linker leaves that file out, because
// all that is asked of it is here.

#include <emscripten/bind.h>

using namespace emscripten::internal;

extern "C" {

/// For Embind's error about a type that is not in the list below. Without RTTI it has no name.
char* __getTypeName(TYPEID) { return nullptr; }

/// The bindings, for threads that start later: these never see a JavaScript value.
void _embind_register_bindings(InitFunc*) {}
}

namespace {

/// number: of the typed array in Embind's list.
template <class T>
void register_view(unsigned number, const char* name) {
  _embind_register_memory_view(TypeID<emscripten::memory_view<T>>::get(), number, name);
}

}  // namespace

EMSCRIPTEN_BINDINGS(types) {
  _embind_register_void(TypeID<void>::get(), "void");
  _embind_register_bool(TypeID<bool>::get(), "bool", true, false);
  _embind_register_float(TypeID<double>::get(), "double", sizeof(double));
  _embind_register_emval(TypeID<emscripten::val>::get());
  register_view<unsigned char>(1, "u8[]");
  register_view<int>(4, "i32[]");
  register_view<float>(6, "f32[]");
  register_view<double>(7, "f64[]");
}
