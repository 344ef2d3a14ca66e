package drover.opsagent.trust;

import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;

/** Decides whether work that would install something may begin at all. */
public interface ReleaseAuthorizerAndRecorder {
    /** For a node whose owner asks for no signatures: digests are enough. */
    ReleaseAuthorizerAndRecorder ALLOW_ALL =
            new ReleaseAuthorizerAndRecorder() {
                @Override
                public long authorizeAndGetSize(Work.Install work, byte[] release) {
                    return 0;
                }

                @Override
                public long dryRunAndGetSize(Work.Install work, byte[] release) {
                    return 0;
                }
            };

    /**
     * Admits the work, and remembers durably what it has seen before it answers (E6).
     *
     * @param release envelope that came along; empty when there was none
     * @return how many bytes the artifact has, as was signed, which bounds its download (E4); 0
     *     when nobody said
     * @throws ActionFailed with the reason when the work is not believed; nothing was touched
     */
    long authorizeAndGetSize(Work.Install work, byte[] release);

    /** The same as a question: nothing is remembered, and no number is raised by it. */
    long dryRunAndGetSize(Work.Install work, byte[] release);
}
