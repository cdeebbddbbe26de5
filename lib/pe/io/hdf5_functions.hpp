// HDF5 as it is loaded late: its library brings forty others, for which a tool that reads no such
// file need not wait. In this namespace a name of HDF5's is the late one; one that is not listed
// does not link.
#pragma once

#include <hdf5.h>
#include <hdf5_hl.h>

#include "pe/base/late.hpp"

namespace pe::io {

extern const LateLibrary hdf5;

#ifdef PE_LINKED
#define PE_HDF5(name) using ::name
#else
#define PE_HDF5(name) inline constinit const Late<decltype(::name)> name(hdf5, #name)
#endif
PE_HDF5(H5Acreate2);
PE_HDF5(H5Aget_space);
PE_HDF5(H5Aget_type);
PE_HDF5(H5Aiterate2);
PE_HDF5(H5Aopen);
PE_HDF5(H5Aread);
PE_HDF5(H5Awrite);
PE_HDF5(H5DSattach_scale);
PE_HDF5(H5DSis_scale);
PE_HDF5(H5DSset_scale);
PE_HDF5(H5Dcreate2);
PE_HDF5(H5Dget_create_plist);
PE_HDF5(H5Dget_offset);
PE_HDF5(H5Dget_space);
PE_HDF5(H5Dget_storage_size);
PE_HDF5(H5Dget_type);
PE_HDF5(H5Dopen2);
PE_HDF5(H5Dread);
PE_HDF5(H5Dvlen_reclaim);
PE_HDF5(H5Dwrite);
PE_HDF5(H5Eget_auto2);
PE_HDF5(H5Eset_auto2);
PE_HDF5(H5FDregister);
PE_HDF5(H5Fcreate);
PE_HDF5(H5Fopen);
PE_HDF5(H5Idec_ref);
PE_HDF5(H5Lunregister);
PE_HDF5(H5Ovisit2);
PE_HDF5(H5PLset_loading_state);
PE_HDF5(H5Pcreate);
PE_HDF5(H5Pget_driver_info);
PE_HDF5(H5Pget_external_count);
PE_HDF5(H5Pget_layout);
PE_HDF5(H5Pset_alloc_time);
PE_HDF5(H5Pset_attr_creation_order);
PE_HDF5(H5Pset_driver);
PE_HDF5(H5Pset_fill_time);
PE_HDF5(H5Pset_layout);
PE_HDF5(H5Pset_libver_bounds);
PE_HDF5(H5Pset_link_creation_order);
PE_HDF5(H5Pset_obj_track_times);
PE_HDF5(H5Screate);
PE_HDF5(H5Screate_simple);
PE_HDF5(H5Sget_simple_extent_dims);
PE_HDF5(H5Sget_simple_extent_ndims);
PE_HDF5(H5Sget_simple_extent_npoints);
PE_HDF5(H5Sget_simple_extent_type);
PE_HDF5(H5Tcopy);
PE_HDF5(H5Tcreate);
PE_HDF5(H5Tequal);
PE_HDF5(H5Tget_class);
PE_HDF5(H5Tget_ebias);
PE_HDF5(H5Tget_fields);
PE_HDF5(H5Tget_member_name);
PE_HDF5(H5Tget_member_offset);
PE_HDF5(H5Tget_member_type);
PE_HDF5(H5Tget_native_type);
PE_HDF5(H5Tget_nmembers);
PE_HDF5(H5Tget_norm);
PE_HDF5(H5Tget_offset);
PE_HDF5(H5Tget_order);
PE_HDF5(H5Tget_precision);
PE_HDF5(H5Tget_sign);
PE_HDF5(H5Tget_size);
PE_HDF5(H5Tinsert);
PE_HDF5(H5Tis_variable_str);
PE_HDF5(H5Tset_cset);
PE_HDF5(H5Tset_ebias);
PE_HDF5(H5Tset_fields);
PE_HDF5(H5Tset_order);
PE_HDF5(H5Tset_size);
PE_HDF5(H5Tset_strpad);
PE_HDF5(H5check_version);
PE_HDF5(H5dont_atexit);
PE_HDF5(H5free_memory);
PE_HDF5(H5open);
PE_HDF5(H5P_CLS_DATASET_CREATE_ID_g);
PE_HDF5(H5P_CLS_FILE_ACCESS_ID_g);
PE_HDF5(H5P_CLS_FILE_CREATE_ID_g);
PE_HDF5(H5T_C_S1_g);
PE_HDF5(H5T_IEEE_F32LE_g);
PE_HDF5(H5T_IEEE_F64LE_g);
PE_HDF5(H5T_NATIVE_DOUBLE_g);
PE_HDF5(H5T_NATIVE_INT64_g);
PE_HDF5(H5T_NATIVE_UINT64_g);
PE_HDF5(H5T_STD_I16LE_g);
PE_HDF5(H5T_STD_I32LE_g);
PE_HDF5(H5T_STD_I64LE_g);
PE_HDF5(H5T_STD_I8LE_g);
PE_HDF5(H5T_STD_U16LE_g);
PE_HDF5(H5T_STD_U32LE_g);
PE_HDF5(H5T_STD_U64LE_g);
PE_HDF5(H5T_STD_U8LE_g);
#undef PE_HDF5

}  // namespace pe::io
