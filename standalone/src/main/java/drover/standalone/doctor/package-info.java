/**
 * Looks at everything a mesh needs and says what is not right. Start with {@link
 * drover.standalone.doctor.Doctor}; the rules that need no machine are in {@link
 * drover.standalone.doctor.MachineRules} and {@link drover.standalone.doctor.AgentRules}. Changes
 * nothing but the caches that {@code up} makes too.
 */
@NullMarked
package drover.standalone.doctor;

import org.jspecify.annotations.NullMarked;
