/** {@code ./tandem verify}: faults on real processes under load, and the judgement of what was recorded. */
@NullMarked
package dev.tandem.verify;

import org.jspecify.annotations.NullMarked;
