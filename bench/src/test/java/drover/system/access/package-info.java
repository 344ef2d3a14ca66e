/**
 * Tests of access between real service processes: mutual TLS and service certificates. Start with
 * {@link drover.system.access.ServiceCertificateIT}. Must not depend on {@code drover.standalone}.
 */
@NullMarked
package drover.system.access;

import org.jspecify.annotations.NullMarked;
