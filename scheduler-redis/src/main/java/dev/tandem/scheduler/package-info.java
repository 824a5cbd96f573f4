/**
 * The store over Redis. The store protocol is implemented by the Lua scripts beside these classes; {@link
 * dev.tandem.scheduler.RedisStore} sends requests to them over ordered connections. {@link
 * dev.tandem.scheduler.Inspector} and {@link dev.tandem.scheduler.Admin} serve operators.
 */
@NullMarked
package dev.tandem.scheduler;

import org.jspecify.annotations.NullMarked;
