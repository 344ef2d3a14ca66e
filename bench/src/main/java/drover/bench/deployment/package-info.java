/**
 * Deployment under measurement. Every service is a separate process, so that its processor time can
 * be measured. Start with {@link drover.bench.deployment.MultiProcessBenchDeployment}, then {@link
 * drover.bench.deployment.ServiceProcess}. Must not depend on the bench commands.
 */
@NullMarked
package drover.bench.deployment;

import org.jspecify.annotations.NullMarked;
