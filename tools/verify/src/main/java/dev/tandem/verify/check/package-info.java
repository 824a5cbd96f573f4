/** The judge: pure, from recorded events to verdicts. */
@NullMarked
package dev.tandem.verify.check;

import org.jspecify.annotations.NullMarked;
