/**
 * What the API needs to know of tasks and to do with them, as ports: the API is written and tested against these, and
 * the runtime implements them over Redis and the brokers.
 */
@NullMarked
package dev.tandem.server.inspect;

import org.jspecify.annotations.NullMarked;
