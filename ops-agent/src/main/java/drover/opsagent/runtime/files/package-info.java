/**
 * Files of a program on the node: staging, backups, installation, restore and preflight checks.
 * Start with {@link drover.opsagent.runtime.files.FileRuntime}, then {@link
 * drover.opsagent.runtime.files.FileBackups}. Base of the runtimes {@code process}, {@code systemd}
 * and {@code docker}, and of runtimes from external jars. Must not depend on attempts in progress
 * ({@code engine}) or on gateways.
 */
@NullMarked
package drover.opsagent.runtime.files;

import org.jspecify.annotations.NullMarked;
