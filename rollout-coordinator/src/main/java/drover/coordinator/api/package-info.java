/**
 * The operators' doors: parse, call, render. Start with {@link
 * drover.coordinator.api.rollout.RolloutGrpcService}. No decisions and no SQL.
 */
@NullMarked
package drover.coordinator.api;

import org.jspecify.annotations.NullMarked;
