-- Three codes have standard names (decision 0118). A leader finds the incident that reports a pause by its code.
UPDATE incident
SET code = CASE code
        WHEN 'BLIND' THEN 'NO_FLEET_VISIBILITY'
        WHEN 'IDENTITY_COPIED' THEN 'IDENTITY_CLONED'
        ELSE 'IDENTITY_MISMATCH'
    END
WHERE code IN ('BLIND', 'IDENTITY_COPIED', 'IDENTITY_MISPLACED');
