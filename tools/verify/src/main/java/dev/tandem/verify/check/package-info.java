/** The checker: a pure function from the recorded history of a trial to a verdict on each rule. */
@NullMarked
package dev.tandem.verify.check;

import org.jspecify.annotations.NullMarked;
