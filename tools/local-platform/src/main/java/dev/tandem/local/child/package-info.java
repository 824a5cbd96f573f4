/** Main classes of the broker processes. They run on the class path of the brokers only, never in this JVM. */
@NullMarked
package dev.tandem.local.child;

import org.jspecify.annotations.NullMarked;
