/** Main classes of the broker processes. They run on the brokers' class path only, never in this JVM. */
@NullMarked
package dev.tandem.local.child;

import org.jspecify.annotations.NullMarked;
