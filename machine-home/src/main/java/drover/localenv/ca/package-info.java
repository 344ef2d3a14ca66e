/**
 * CAs and service certificates as files of this machine, as {@code drover authority} creates them,
 * and the CA of a standalone deployment. Start with {@link drover.localenv.ca.CaFiles}, then {@link
 * drover.localenv.ca.LocalCa}. {@code drover.kit.ca} decides the contents of a certificate. Must
 * not depend on any service.
 */
@NullMarked
package drover.localenv.ca;

import org.jspecify.annotations.NullMarked;
