/**
 * Tests of the decisions about an attempt, and its state diagram. Start with {@link
 * drover.opsagent.plan.NextStepTest}, then {@link drover.opsagent.plan.AttemptDiagram}.
 */
@NullMarked
package drover.opsagent.plan;

import org.jspecify.annotations.NullMarked;
