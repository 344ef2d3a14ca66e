/** Proves the connections of the mesh with good certificates and with every bad kind. */
@NullMarked
package drover.kit.tls;

import org.jspecify.annotations.NullMarked;
