package drover.opsagent.peers;

import drover.agent.v1.AgentFinding;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import java.util.List;

/**
 * Limit of a heartbeat's size. A gateway closes the stream of a larger one, and probes that fail at
 * the same time can quote many kilobytes. All texts get the same length, so that each still says
 * which probe or finding it is. Without them the cluster reports of many programs may still be too
 * large; then the heartbeat has none of them.
 */
final class HeartbeatTruncator {
    /** Three quarters of what a gateway accepts (16 KiB): the rest is for later fields. */
    static final int MAX_BYTES = 12 * 1024;

    private static final int MAX_TEXT = 1_000; // characters
    private static final int MIN_TEXT = 15; // below this, no text says anything

    private HeartbeatTruncator() {}

    /** The same heartbeat if it is small enough, else one with the longest texts that fit. */
    static Heartbeat fitToLimit(Heartbeat whole) {
        Heartbeat heartbeat = whole;
        for (int longest = MAX_TEXT;
                heartbeat.getSerializedSize() > MAX_BYTES && longest >= MIN_TEXT;
                longest /= 2) {
            heartbeat = shorten(whole, longest);
        }
        if (heartbeat.getSerializedSize() > MAX_BYTES) {
            heartbeat = withoutTexts(whole);
        }
        return heartbeat.getSerializedSize() <= MAX_BYTES
                ? heartbeat
                : ClusterStateProtos.withoutReports(heartbeat);
    }

    private static Heartbeat shorten(Heartbeat whole, int longest) {
        Heartbeat.Builder heartbeat = whole.toBuilder();
        for (ProgramHealth.Builder program : heartbeat.getProgramsBuilderList()) {
            List<String> details =
                    program.getProbeDetailsList().stream()
                            .map(detail -> shorten(detail, longest))
                            .toList();
            program.clearProbeDetails().addAllProbeDetails(details);
        }
        for (AgentFinding.Builder finding : heartbeat.getFindingsBuilderList()) {
            finding.setDetail(shorten(finding.getDetail(), longest));
        }
        return heartbeat.build();
    }

    private static Heartbeat withoutTexts(Heartbeat whole) {
        Heartbeat.Builder heartbeat = whole.toBuilder();
        heartbeat.getProgramsBuilderList().forEach(ProgramHealth.Builder::clearProbeDetails);
        heartbeat.getFindingsBuilderList().forEach(AgentFinding.Builder::clearDetail);
        return heartbeat.build();
    }

    private static String shorten(String text, int longest) {
        if (text.length() <= longest) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(longest - 2)) ? longest - 2 : longest - 1;
        return text.substring(0, end) + "…";
    }
}
