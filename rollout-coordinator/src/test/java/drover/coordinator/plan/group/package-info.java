/** Tests of what a rollout group decides. */
@org.jspecify.annotations.NullMarked
package drover.coordinator.plan.group;
