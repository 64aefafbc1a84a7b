"""Recipe for Conan 2. It builds the clone that it lies in: conan create packaging/conan"""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

required_conan_version = ">=2.0"


class BackoffActor(ConanFile):
    name = "backoff_actor"
    version = "0.2.0"
    description = "Supervision and reliable retry for the C++ Actor Framework"
    license = "BSD-3-Clause"
    topics = ("actor-framework", "supervision", "retry", "backoff", "circuit-breaker")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "with_postgres": [True, False], "with_store": [True, False],
               "with_zones": [True, False]}
    default_options = {"shared": False, "with_postgres": False, "with_store": True, "with_zones": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "libbackoff_actor/*",
                        "packaging/prometheus/*", "examples/quickstart/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def layout(self):
        self.folders.root = os.path.join("..", "..")
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("backoff_actor runs on Linux only")
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("caf/[>=1.0 <2]", transitive_headers=True, transitive_libs=True)
        self.requires("openssl/[>=1.1.1 <4]")
        if self.options.with_postgres:
            self.requires("libpq/[>=14 <19]")
        if self.options.with_store:
            self.requires("sqlitecpp/[>=3.1 <4]")
        if self.options.with_zones:
            self.requires("cctz/[>=2.3 <3]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BACKOFF_ACTOR_BUILD_TESTS"] = False
        toolchain.cache_variables["BACKOFF_ACTOR_BUILD_EXAMPLES"] = False
        toolchain.cache_variables["BACKOFF_ACTOR_BUILD_TOOLS"] = False
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL"] = not self.options.with_postgres
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_SQLiteCpp"] = not self.options.with_store
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_Cctz"] = not self.options.with_zones
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan makes files of its own, of what package_info() says.
        for folder in ("lib/cmake", "lib/pkgconfig", "share"):
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "backoff_actor")
        self._component("core", [])
        self.cpp_info.components["core"].system_libs = ["m", "pthread"]
        self._component("lab", ["core"])
        self._component("actor", ["core", "caf::caf_core"])
        self._component("testing", ["actor"])
        self._component("tls", ["core", "openssl::ssl"])
        self._component("web", ["core", "tls"])
        self._component("remote", ["actor", "tls", "caf::caf_io"])
        if self.options.with_postgres:
            self._component("postgres", ["core", "libpq::libpq"])
        if self.options.with_store:
            self._component("store", ["core", "sqlitecpp::sqlitecpp"])
        if self.options.with_zones:
            self._component("zones", ["core", "cctz::cctz"])

    def _component(self, name, requires):
        component = self.cpp_info.components[name]
        component.libs = ["backoff_actor_" + name]
        component.requires = requires
        component.set_property("cmake_target_name", "backoff_actor::" + name)
        component.set_property("pkg_config_name", "backoff_actor" if name == "actor" else "backoff_actor-" + name)
