/** Tests of pools of connections. */
@NullMarked
package drover.kit.database;

import org.jspecify.annotations.NullMarked;
