# What CPack makes two Debian packages of, from the components tools and dev.
set(PE_MAINTAINER "The authors of pe <pe@example.org>" CACHE STRING "Who answers for the Debian packages")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pe)
set(CPACK_PACKAGE_VENDOR "The authors of pe")
set(CPACK_PACKAGE_CONTACT "${PE_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL tools dev)
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR OFF)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/scripts/deb_finish.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME pe-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS python3:any)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib, python3-numpy")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The tools: tables, turns, biases and buckets of position encodings, applied to\n\
tensors; dumps of other programs judged, and what is wrong with them named;\ncurves of encodings measured and drawn.")

# The archive is static: whoever links it links what it is made with.
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpe-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libboost-dev, libfmt-dev, libgmp-dev, libhdf5-dev, liblapack-dev, libmpfr-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "The library in C++: a static archive and its headers, found by CMake\n(find_package(pe)) and by pkg-config.")
include(CPack)
