# Downloads one file and checks it: cmake -D URL=... -D SHA256=... -D FILE=... -P download.cmake
# Fails when nothing arrives for 10 s, when it takes over two minutes, or when the checksum is another.

file(DOWNLOAD "${URL}" "${FILE}.part" STATUS status TIMEOUT 120 INACTIVITY_TIMEOUT 10 TLS_VERIFY ON)
list(GET status 0 code)
if(NOT code EQUAL 0)
  file(REMOVE "${FILE}.part")
  message(FATAL_ERROR "${URL}: ${status}")
endif()
file(SHA256 "${FILE}.part" found)
if(NOT found STREQUAL SHA256)
  file(REMOVE "${FILE}.part")
  message(FATAL_ERROR "${URL}: SHA-256 is ${found}, expected ${SHA256}")
endif()
file(RENAME "${FILE}.part" "${FILE}")
