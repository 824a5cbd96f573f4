/**
 * The ports through which the API reads and changes tasks. The runtime implements them with Redis and the brokers; the
 * tests of the API implement them in memory.
 */
@NullMarked
package dev.tandem.server.inspect;

import org.jspecify.annotations.NullMarked;
