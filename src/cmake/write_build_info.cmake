# Run at every build: fills in the commit and writes the file only when it changes.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude *
                OUTPUT_VARIABLE GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed EQUAL 0)
  set(GIT_HASH "unknown")
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
