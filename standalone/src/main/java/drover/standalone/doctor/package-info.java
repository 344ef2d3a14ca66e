/**
 * Looks at everything a mesh needs and says what is not right. Start with {@link
 * drover.standalone.doctor.Doctor}; the rules that need no machine are in {@link
 * drover.standalone.doctor.MachineRules}. Changes nothing but the caches that {@code up} makes too.
 */
@NullMarked
package drover.standalone.doctor;

import org.jspecify.annotations.NullMarked;
