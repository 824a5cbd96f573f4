/** Which addresses the hosted handler {@code http} may connect to. */
@NullMarked
package dev.tandem.runtime.targets;

import org.jspecify.annotations.NullMarked;
