package drover.standalone.doctor;

import drover.localenv.UserFacingError;
import java.util.List;
import java.util.function.Supplier;

/**
 * One thing that was looked at.
 *
 * @param check what was looked at, one word
 * @param sentence what was found and, unless all is well, what to do
 */
public record DoctorFinding(Level level, String check, String sentence) {
    /** How bad it is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** It works, and somebody should look. */
        WARN,
        /** It does not work. */
        FAIL
    }

    static DoctorFinding ok(String check, String sentence) {
        return new DoctorFinding(Level.OK, check, sentence);
    }

    static DoctorFinding warn(String check, String sentence) {
        return new DoctorFinding(Level.WARN, check, sentence);
    }

    static DoctorFinding fail(String check, String sentence) {
        return new DoctorFinding(Level.FAIL, check, sentence);
    }

    /** What a look finds; what makes it impossible is a finding too. */
    static List<DoctorFinding> runCheck(String check, Supplier<List<DoctorFinding>> findings) {
        try {
            return findings.get();
        } catch (UserFacingError e) {
            return List.of(fail(check, e.message()));
        }
    }
}
