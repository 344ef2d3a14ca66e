/**
 * The start of a service as a process: settings from flags, environment and file, and one clear
 * sentence if it cannot start. Start with {@link drover.kit.config.ServiceLauncher}, then {@link
 * drover.kit.config.Settings}. Knows no service's domain; must not depend on gRPC or HTTP.
 */
@NullMarked
package drover.kit.config;

import org.jspecify.annotations.NullMarked;
