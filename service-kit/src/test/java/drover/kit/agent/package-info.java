@NullMarked
package drover.kit.agent;

import org.jspecify.annotations.NullMarked;
