/**
 * Runs the handlers of an application in its tests, without brokers and with a settable clock. Start with {@link
 * dev.tandem.test.TestTandem}, or with {@link dev.tandem.test.TandemTest} in a Spring Boot application.
 *
 * <p>Everything between the broker and the handlers is what production has: the client, the executor and the core. A queue in
 * memory takes the place of the broker, and the model of the store that of Redis.
 */
@NullMarked
package dev.tandem.test;

import org.jspecify.annotations.NullMarked;
