/** Brokers for integration tests: shared ones by default, killable ones on request. */
@NullMarked
package dev.tandem.testkit;

import org.jspecify.annotations.NullMarked;
