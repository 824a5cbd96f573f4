/**
 * Brokers for integration tests: shared ones by default, ones of a test's own, which it may kill, on request. For test
 * scope only. Helpers that need no broker are in {@code dev.tandem.kit}.
 */
@NullMarked
package dev.tandem.testkit;

import org.jspecify.annotations.NullMarked;
