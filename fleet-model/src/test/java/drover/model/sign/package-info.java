@NullMarked
package drover.model.sign;

import org.jspecify.annotations.NullMarked;
