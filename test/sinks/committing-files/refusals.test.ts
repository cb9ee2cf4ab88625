import assert from 'node:assert/strict';
import { link, mkdir, readdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Desk } from './desk.ts';

const refused = (code: string, message: RegExp) => ({ code, message });

describe('committing files refuse', () => {
  test('what cannot be cut, with the path and the reason', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await mkdir(desk.path('folder'));
    await symlink(desk.path('nowhere'), desk.path('dangling'));
    const o007 = (reason: RegExp) => refused('HPX-O007', reason);
    await assert.rejects(desk.open({ path: desk.path('folder') }), o007(/folder: it is a directory/));
    await assert.rejects(desk.open({ path: '/dev/null' }), o007(/\/dev\/null: it is a device/));
    await assert.rejects(desk.open({ path: desk.path('a.gz') }), o007(/a\.gz: it would be compressed/));
    await assert.rejects(
      desk.open({ path: desk.path('dangling') }),
      o007(/dangling: it is a link to nothing/),
    );
    await assert.rejects(desk.open({ deadLetters: { path: '/dev/null' } }), o007(/it is a device/));
    await assert.rejects(
      desk.open({ path: desk.path('none/out') }),
      refused('HPX-O001', /none\/out: ENOENT/),
    );
    await mkdir(desk.path('out.commits'));
    await assert.rejects(desk.open(), o007(/out\.commits: it is a directory/));
  });

  test('the same file twice, also through links and before it is there', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await writeFile(desk.path('dead'), '');
    await link(desk.path('dead'), desk.path('hard'));
    await symlink(desk.path('dead'), desk.path('soft'));
    await symlink(desk.folder, desk.path('folder'));
    const same = refused('HPX-O007', /are the same file/);
    for (const path of ['hard', 'soft', 'dead', 'folder/dead'])
      await assert.rejects(
        desk.open({ duplicates: { path: desk.path(path) }, deadLetters: { path: desk.path('dead') } }),
        same,
        path,
      );
    await assert.rejects(desk.open({ duplicates: { path: desk.path('folder/out') } }), same);
    await assert.rejects(desk.open({ duplicates: { path: desk.path('out.commits') } }), same);
  });

  test('a file that no log knows, unless it is empty or confirmed', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await writeFile(desk.path('out'), 'foreign');
    await assert.rejects(desk.open(), refused('HPX-O004', /out: it has 7 bytes and no commit log knows it/));
    assert.deepEqual(await readdir(desk.folder), ['out']);
    await desk.start({ confirmed: ['HPX-O004'] });
    await desk.stage('1');
    await desk.commit(1);
    assert.equal(await desk.text(), 'foreign\n1\n');
    await desk.close();

    await writeFile(desk.path('dead'), '');
    await desk.start({ deadLetters: { path: desk.path('dead') } });
    await desk.close();
    await writeFile(desk.path('duplicates'), 'foreign');
    await assert.rejects(
      desk.open({ duplicates: { path: desk.path('duplicates') } }),
      refused('HPX-O004', /duplicates: it has 7 bytes/),
    );
  });

  test('a file that is missing or too short, unless it is confirmed', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await desk.start();
    await desk.stage('1', '2');
    await desk.commit(2);
    await desk.close();
    await truncate(desk.path('out'), 3);
    await assert.rejects(desk.open(), refused('HPX-O005', /out: it has 3 bytes, 4 are committed/));
    await rename(desk.path('out'), desk.path('away'));
    await assert.rejects(desk.open(), refused('HPX-O005', /out: it is missing, 4 are committed/));
    assert.equal(await desk.start({ confirmed: ['HPX-O005'] }), 2);
    await desk.stage('3');
    await desk.commit(3);
    await desk.close();
    assert.equal(await desk.text(), '3\n');
    assert.match(await desk.text('out.commits'), /"code":"HPX-O005","detail":"[^"]*out: it is missing/);
    assert.equal(await desk.start(), 3);
  });

  test('a file that is longer though it was closed: somebody wrote to it, or the log is an older one', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await desk.start();
    await desk.stage('1');
    await desk.commit(1);
    await desk.close();
    const older = await readFile(desk.path('out.commits'));
    await desk.start();
    await desk.stage('2');
    await desk.commit(2);
    await desk.crash();
    await writeFile(desk.path('out.commits'), older);
    await assert.rejects(desk.open(), refused('HPX-O005', /out: it has 4 bytes, 2 are committed/));
    assert.equal(await desk.start({ confirmed: ['HPX-O005'] }), 1);
    await desk.stage('3');
    await desk.commit(3);
    assert.equal(await desk.text(), '1\n2\n3\n');
  });

  test('what is confirmed and is not so changes nothing', async (t) => {
    const desk = await Desk.inNewFolder(t, { confirmed: ['HPX-O004', 'HPX-O005', 'HPX-O006'] });
    await desk.start();
    await desk.stage('1');
    await desk.commit(1);
    await desk.stage('2');
    await desk.crash();
    assert.equal(await desk.start(), 1);
    assert.equal(await desk.text(), '1\n');
  });
});

describe('committing files', () => {
  test('opening changes nothing, and so does closing what was not used', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await desk.open();
    await desk.close();
    assert.deepEqual(await readdir(desk.folder), []);
    await desk.start();
    await desk.stage('1');
    await desk.commit(1);
    await desk.stage('not committed');
    await desk.crash();
    const log = await readFile(desk.path('out.commits'));
    await desk.open();
    await desk.close();
    assert.deepEqual(await readFile(desk.path('out.commits')), log);
    assert.equal(await desk.text(), '1\nnot committed\n');
    assert.equal(await desk.start(), 1);
    assert.equal(await desk.text(), '1\n');
  });

  test('a line that was left open is ended before the next, after an abort and a restart too', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await writeFile(desk.path('out'), '1');
    await desk.start({ confirmed: ['HPX-O004'] });
    await desk.stage('2');
    await desk.abort();
    assert.equal(await desk.text(), '1');
    await desk.stage('3');
    await desk.commit(1);
    await desk.stage('4');
    await desk.abort();
    await desk.stage('5');
    await desk.commit(2);
    assert.equal(await desk.text(), '1\n3\n5\n');
  });

  test('all of them can be moved to another folder', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await mkdir(desk.path('here'));
    const placed = (folder: string) => ({
      path: desk.path(`${folder}/out`),
      deadLetters: { path: desk.path(`${folder}/dead`), keepMs: 8 * 3_600_000 },
    });
    await desk.start(placed('here'));
    await desk.stage('1');
    await desk.bury('2');
    await desk.commit(2);
    await desk.close();
    await rename(desk.path('here'), desk.path('there'));
    assert.equal(await desk.start(placed('there')), 2);
    await desk.bury('3');
    await desk.commit(3);
    const [dead] = (await readdir(desk.path('there'))).filter((name) => name.startsWith('dead-'));
    assert.equal(await desk.text(`there/${dead}`), '2\n3\n');
  });

  test('an output that is left out for a while goes on where it was', async (t) => {
    const desk = await Desk.inNewFolder(t);
    const deadLetters = { path: desk.path('dead') };
    await desk.start({ deadLetters });
    await desk.bury('1');
    await desk.commit(1);
    await desk.close();
    await desk.start();
    await desk.commit(2);
    await desk.close();
    await desk.start({ deadLetters });
    await desk.bury('2');
    await desk.commit(3);
    assert.equal(await desk.text('dead'), '1\n2\n');
  });

  test('what is closed takes nothing', async (t) => {
    const desk = await Desk.inNewFolder(t);
    await desk.start();
    await desk.stage('1');
    await desk.close();
    await assert.rejects(desk.stage('2'), { code: 'HPX-O001', message: /it is closed/ });
    await assert.rejects(desk.commit(1), { code: 'HPX-O001' });
    assert.equal(await desk.text(), '');
  });
});
